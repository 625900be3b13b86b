/** Variables of a program without settings of this machine; its modules are loaded from the cache of compiled code that the tests share. */
export const plainEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].map((name) => [name, process.env[name] ?? ""]),
);
