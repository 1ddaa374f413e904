"""What a session shows: summary, reasons, forecast, charts and tables."""
