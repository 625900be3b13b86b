import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { buildPackages } from "../built-packages.ts";
import { root } from "../root.ts";
import { readWorkspace, type WorkspacePackage } from "../workspace/read-workspace.ts";
import { undocumented } from "./undocumented.ts";

test("an editor shows documentation for every exported name and public member of every package", () => {
  const published = readWorkspace(root).filter(({ manifest }) => manifest.private !== true);
  buildPackages(root);
  expect(undocumented(root, published)).toEqual([]);
});

test("names and members without documentation are reported with their lines", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "hover-"));
  const home = join(folder.path, "packages/one/dist");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, "base.ts"),
    "/** A base. */\nexport class Base {\n  /** Its size. */\n  readonly size: number = 1;\n}\n",
  );
  writeFileSync(
    join(home, "index.ts"),
    `import { Base } from "./base.ts";
export { Base };
export interface Bare { readonly one: string }
/** A class. */
export class Documented extends Base {
  override readonly size: number = 2;
  readonly plain: number = 1;
  private readonly hidden: number = 1;
  static make(): Documented { return new Documented(); }
}
`,
  );
  const manifest = { name: "one", exports: { ".": { types: "./dist/index.ts" } } };
  const pkg: WorkspacePackage = { folder: "packages/one", manifest, references: [], files: new Map() };
  expect(undocumented(folder.path, [pkg])).toEqual([
    "packages/one/dist/index.ts:3 Bare",
    "packages/one/dist/index.ts:3 Bare.one",
    "packages/one/dist/index.ts:7 Documented.plain",
    "packages/one/dist/index.ts:9 Documented.make",
  ]);
});
