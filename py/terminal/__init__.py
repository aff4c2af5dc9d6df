"""What a person sees in a terminal: where data lives by default, the progress bar, the summary, exit codes."""
