"""What the commands of `tether` do once their arguments are read. Like `app.cli`, it may construct edges."""
