import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";

/** Compiles a source like the TypeScript compiler with `experimentalDecorators` and `emitDecoratorMetadata`. */
const compile = (path) => {
  const { code, errors } = transformSync(path, readFileSync(path, "utf8"), {
    target: "es2025",
    typescript: { onlyRemoveTypeImports: true },
    decorator: { legacy: true, emitDecoratorMetadata: true },
  });
  if (errors.length > 0) throw errors[0];
  return code;
};

registerHooks({
  load(url, context, next) {
    if (!/\/src\/nest\/.*\.ts$/.test(url)) return next(url, context);
    return { format: "module", source: compile(fileURLToPath(url)), shortCircuit: true };
  },
});
