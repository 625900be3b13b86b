export { commandLine, type CommandLineOptions } from "./command-line.ts";
export { cliErrors } from "./error-codes.ts";
