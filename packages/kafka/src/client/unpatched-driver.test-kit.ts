import { createRequire } from "node:module";

/** Returns a `require` that loads a fresh copy of kafkajs: other tests of the process may have patched the loaded one. */
export const requireOfUnpatchedDriver = (): NodeJS.Require => {
  const require = createRequire(import.meta.url);
  for (const file of Object.keys(require.cache))
    if (/[/\\]kafkajs[/\\]/.test(file)) Reflect.deleteProperty(require.cache, file);
  return require;
};
