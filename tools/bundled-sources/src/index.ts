export { bundledCore } from "./bundled-core.ts";
export { bundledProgram } from "./bundled-program.ts";
