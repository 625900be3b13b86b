/** The framework on graphql 16: resolves every import of `graphql` to the version of this folder. */
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "graphql" ? { ...context, parentURL: import.meta.url } : context),
});
await import("../graphql/framework.ts");
