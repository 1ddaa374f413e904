#!/bin/sh
# Makes the environment of Meta-World, which needs another MuJoCo than ours, and puts our two files
# into it. Run it from the environment of Deliberate Practice: sh examples/metaworld/setup.sh
set -e
cd "$(dirname "$0")/../.."
command -v deliberate >/dev/null || {
  echo "There is no command deliberate here; first run: source .venv/bin/activate" >&2
  exit 2
}
"${PYTHON:-python3}" -m venv .venv-metaworld
.venv-metaworld/bin/python -m pip --disable-pip-version-check install --quiet metaworld==3.1.1 packaging
packages=$(.venv-metaworld/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
deliberate client > "$packages/deliberate_client.py"
deliberate client --gym > "$packages/deliberate_gym.py"
touch .venv-metaworld/installed
echo "Ready: $(pwd)/.venv-metaworld/bin/python examples/metaworld/robot.py --help"
