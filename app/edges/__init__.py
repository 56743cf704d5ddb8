"""What is outside: GitHub, DataHub, git, our database, child processes, Anthropic. Each part fulfils ports of `app.ports`."""
