// Re-exports core, with `App` and `Blueprint` replaced by classes with every feature.
export * from "@framework/core";
export { App } from "./app.ts";
export { Blueprint } from "./blueprint.ts";
