import base from "../../jest.config.js";

/** Nest's sources have decorators and parameter properties, which Node does not strip. */
export default { ...base, rootDir: import.meta.dirname, setupFiles: ["<rootDir>/decorators.js"] };
