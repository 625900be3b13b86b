import { transformSync } from "rolldown/utils";

/** Compiles a source as the compiler does with `experimentalDecorators` and `emitDecoratorMetadata`. */
export default {
  process(source, path) {
    const { code, errors } = transformSync(path, source, {
      target: "es2025",
      typescript: { onlyRemoveTypeImports: true },
      decorator: { legacy: true, emitDecoratorMetadata: true },
    });
    if (errors.length > 0) throw errors[0];
    return { code };
  },
};
