/** The output of `--help`; every flag overrides the environment and the argument of `run`. */
export const helpText = (): string => `Usage: node <program> [flags] [-- arguments of the program]

  --host <address>     address to listen on           (variable HOST, default 127.0.0.1)
  --port <number>      port, 0 for any free one       (variable PORT, default 8000)
  --env <name>         development or production      (variable FRAMEWORK_ENV, default development)
  --debug, --no-debug  details in error replies, request logs, one worker  (default: on in development)
  --workers <number>   serving processes              (default: one per CPU in production, 1 in development or debug)
  --transport <name>   fast or node                   (variable FRAMEWORK_TRANSPORT, default fast)
  --reload             restart when a source or .env file below this folder changes
  --no-logs            no request logs; errors are still written
  --check              check settings and app, print the result as one JSON line, and exit
  --help               print this text
  --version            print the version

A flag overrides the variable, the variable overrides the program's setting, and the setting overrides the default.
PORT does not replace port 0 of the program.
`;
