import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const core = join(import.meta.dirname, "../../core/src/index.ts");

/** Writes a folder with a program that runs an app on core's sources; `lines` add to the app. */
export const serviceProject = (lines: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  writeFileSync(
    join(folder, "main.ts"),
    `import { App } from ${JSON.stringify(core)};
const app = new App();
app.get("/", () => "hello");
app.get("/slow", () => new Promise((resolve) => setTimeout(resolve, 300, "late")));
${lines}
await app.run();
`,
  );
  return folder;
};
