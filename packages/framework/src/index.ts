// Everything of core; App and Blueprint are those with every feature.
export * from "@framework/core";
export { App } from "./app.ts";
export { Blueprint } from "./blueprint.ts";
