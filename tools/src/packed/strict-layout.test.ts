import { mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { buildPackages } from "../built-packages.ts";
import { root } from "../root.ts";
import { tsconfig } from "./program.ts";
import { runTool } from "../run-node.ts";

const LIBRARY = `import { App, Blueprint, dependency, key } from "@framework/framework";

export class Shop extends App {
  declare readonly state: { title: string };
}
export const createApp = () => new App().enableCors();
export const orgs = new Blueprint("/orgs/{org}", { deprecated: "2026-11-01" });
export const shop = new Blueprint<"/shop", Shop>("/shop");
export class Versioned extends Blueprint<"/v1"> {}
export const Db = dependency<number>("db");
export const Tenant = key<string>("tenant", "");
`;

const PROGRAM = `import { createApp, Db, orgs, shop, Tenant, Versioned } from "./dist/library.js";

orgs.get("/{id}", ({ params, app, context }) => [params.org, params.id, app.circuits, context.get(Tenant).length]);
orgs.websocket("/live", (socket, { params }) => socket.sendText(params.org));
shop.get("/", { inject: { db: Db } }, ({ app }, { db }) => app.state.title + db.toFixed());
createApp().registerBlueprint(orgs).registerBlueprint(shop).registerBlueprint(new Versioned("/v1"));
// @ts-expect-error no such method
orgs.nope;
// @ts-expect-error a path is text
orgs.get(5);
`;

beforeAll(() => buildPackages(root), 300_000);

test("where only the App with every feature can be imported, the declarations of exported apps and blueprints keep their types", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "strict-layout-"));
  const { path } = folder;
  mkdirSync(join(path, "node_modules/@framework"), { recursive: true });
  symlinkSync(join(root, "packages/framework"), join(path, "node_modules/@framework/framework"), "junction");
  writeFileSync(join(path, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const compile = (file: string, code: string, options: object): void => {
    writeFileSync(join(path, file), code);
    const { compilerOptions } = tsconfig([]);
    const typeRoots = [join(root, "node_modules/@types")];
    const config = {
      files: [file],
      compilerOptions: { ...compilerOptions, typeRoots, skipLibCheck: true, ...options },
    };
    writeFileSync(join(path, "tsconfig.json"), JSON.stringify(config));
    runTool(path, root, "typescript/bin/tsc", "-p", ".");
  };

  compile("library.ts", LIBRARY, { declaration: true, outDir: "dist" });
  const declarations = readFileSync(join(path, "dist/library.d.ts"), "utf8");
  expect(new Set(declarations.match(/"@framework\/[^"]+"/g))).toEqual(new Set(['"@framework/framework"']));
  compile("program.ts", PROGRAM, { noEmit: true });
}, 120_000);
