// Prints the packages that are loaded by the import of the App, by its first request, and by the first use of each feature.
import { registerHooks } from "node:module";

const loaded = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, own, other] =
      /\/packages\/([\w-]+)\/src\/|.*\/node_modules\/((?:@[\w-]+\/)?[\w.-]+)\//.exec(resolved.url) ?? [];
    if (own !== undefined || other !== undefined) loaded.add(own ?? other ?? "");
    return resolved;
  },
});

/** Names of the packages that were imported since the last call. */
const newlyLoaded = (): string[] => {
  const names = [...loaded].toSorted();
  loaded.clear();
  return names;
};

const { App } = await import("./index.ts");
const imported = newlyLoaded();
const app = new App();
app.get("/", { summary: "Root" }, () => "hello");
await app.fetch(new Request("http://localhost/"));
const served = newlyLoaded();

const uses: Record<string, string[]> = {};
const other = new App();
for (const member of Object.getOwnPropertyNames(other)) {
  if (!/^enable|^jobs$/.test(member)) continue;
  try {
    const value: unknown = Reflect.get(other, member);
    if (typeof value === "function") value.call(other, {});
  } catch {} // invalid arguments; only the loaded packages matter
  uses[member] = newlyLoaded();
}
const kafka = new App();
try {
  kafka.enableMessaging({ brokers: ["localhost:9092"] });
} catch {} // as above
console.log(JSON.stringify({ imported, served, uses, kafka: newlyLoaded() }));
process.exit(0); // features may have opened resources
