#!/bin/sh
# Makes the environment of so101-nexus, which needs Python 3.12 and a MuJoCo before 4, and puts our
# two files into it. Run it from the environment of Deliberate Practice: sh examples/so101/setup.sh
set -e
cd "$(dirname "$0")/../.."
"${PYTHON:-python3.12}" -m venv .venv-so101
.venv-so101/bin/python -m pip --disable-pip-version-check install --quiet so101-nexus==0.10.0
packages=$(.venv-so101/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
deliberate client > "$packages/deliberate_client.py"
deliberate client --gym > "$packages/deliberate_gym.py"
touch .venv-so101/installed
echo "Ready: $(pwd)/.venv-so101/bin/python examples/so101/robot.py --help"
