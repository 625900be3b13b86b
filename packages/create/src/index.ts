export { commandLine, type CommandLineOptions } from "./command-line.ts";
export { type CreatedService, createService, type CreateServiceOptions } from "./create-service.ts";
export { createErrors } from "./error-codes.ts";
export { type Variant } from "./variant.ts";
