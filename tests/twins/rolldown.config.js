/** Compiles the service in Nest, whose decorators Node does not run: `pnpm --filter @framework/twins nest`. */
export default {
  input: "src/nest/main.ts",
  platform: "node",
  external: /^[^./]/,
  output: { file: ".cache/nest.mjs" },
};
