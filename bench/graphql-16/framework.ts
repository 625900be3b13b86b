/** The framework on graphql 16, as the servers that need it: every import of the library is that of this folder. */
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "graphql" ? { ...context, parentURL: import.meta.url } : context),
});
await import("../graphql/framework.ts");
