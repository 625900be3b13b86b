/** What `--help` prints; every flag wins over the argument of `run` and over the environment. */
export const helpText = (): string => `Usage: node <program> [flags] [-- arguments of the program]

  --host <address>     address to listen on           (variable HOST, default 127.0.0.1)
  --port <number>      port, 0 for any free one       (variable PORT, default 8000)
  --env <name>         development or production      (variable FRAMEWORK_ENV, default development)
  --debug, --no-debug  details in error replies, request lines, one worker  (default: on in development)
  --workers <number>   serving processes              (default: one per CPU in production, 1 in debug)
  --reload             start anew when a source file below this folder changes
  --no-logs            no request lines; errors are still written
  --help               print this text
  --version            print the version

A flag wins over the program's own settings, those over the variables.
`;
