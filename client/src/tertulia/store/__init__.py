"""What is kept on this machine between two commands: sign-ins, how far each session has read, topics seen."""
