/** Compiles the Nest service, whose decorators Node does not support: `pnpm --filter @framework/ports nest`. */
export default {
  input: "src/nest/main.ts",
  platform: "node",
  external: /^[^./]/,
  output: { file: ".cache/nest.mjs" },
};
