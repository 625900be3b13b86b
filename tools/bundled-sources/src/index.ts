export { bundlePrograms } from "./bundle-programs.ts";
export { bundledPackages } from "./bundled-packages.ts";
export { bundledProgram } from "./bundled-program.ts";
