/** Environment variables without settings of this machine, and with the compile cache that the tests share. */
export const plainEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].map((name) => [name, process.env[name] ?? ""]),
);
