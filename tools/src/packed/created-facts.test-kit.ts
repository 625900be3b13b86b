import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { endServices, startClients, startService, untilReply } from "./created-service.ts";
import { install, type Packages, readManifest } from "./packages.ts";
import { run } from "./run-node.ts";

const LIMIT_MS = 300_000;

/**
 * Registers the facts about services that `@framework/create` writes: each is created once by the packed program, in the folder, with the packed packages installed.
 *
 * @param packages returns the packed packages when the tests run
 */
export const testCreatedServices = (folder: string, packages: () => Packages): void => {
  const [full, minimal, npx] = [join(folder, "full"), join(folder, "minimal"), join(folder, "npx")];

  beforeAll(() => {
    mkdirSync(folder);
    install(root, npx, packages(), ["@framework/create"]);
    const program = join(npx, "node_modules/@framework/create/bin/create.js");
    for (const variant of ["full", "minimal"]) {
      run(folder, process.execPath, program, variant, "--variant", variant);
      const { dependencies, devDependencies } = readManifest(join(folder, variant));
      install(root, join(folder, variant), packages(), Object.keys({ ...dependencies, ...devDependencies }));
    }
  }, LIMIT_MS);

  afterAll(endServices);

  test("package.json of a created service names released versions", () => {
    const { dependencies, devDependencies } = readManifest(full);
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([name, range]).toEqual([
        name,
        expect.stringMatching(name.startsWith("@framework/") ? /^\^\d+\.\d+\.\d+$/ : /^\d+\.\d+\.\d+$/),
      ]);
  });

  test.each([
    ["full", 5],
    ["minimal", 1],
  ])(
    "the %s service has no type error, and passes its own tests, under plain Node",
    (variant, tests) => {
      const home = join(folder, variant);
      run(home, process.execPath, join(home, "node_modules/typescript/bin/tsc"));
      expect(run(home, process.execPath, "--test")).toMatch(new RegExp(`pass ${tests}\\n[\\s\\S]*fail 0\\n`));
    },
    LIMIT_MS,
  );

  test(
    "the test of the full service notices that .env.example lacks a variable",
    () => {
      const path = join(full, ".env.example");
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace(/^# LOG_LEVEL=.*$/m, ""));
      expect(() => run(full, process.execPath, "--test", "src/settings.test.ts")).toThrow(/LOG_LEVEL/);
      writeFileSync(path, text);
    },
    LIMIT_MS,
  );

  test(
    "doctor has nothing to say about a created service with the variables of production",
    () => {
      const program = join(full, "node_modules/@framework/cli/bin/framework.js");
      const variables = ["REDIS_URL=redis://localhost", "DATABASE_URL=postgres://localhost/service"];
      const found = run(full, "env", ...variables, process.execPath, program, "doctor", "--json");
      expect(JSON.parse(found)).toMatchObject({ findings: [] });
    },
    LIMIT_MS,
  );

  test(
    "a rolling update of the full service under load, as Kubernetes does it, drops no request",
    async () => {
      const production = {
        FRAMEWORK_ENV: "production",
        HOST: "127.0.0.1",
        REQUESTS_PER_MINUTE: "1000000", // all from one client
      };
      const first = await startService(full, production);
      await untilReply(`${first.url}/health/startup`, ({ status }) => status === 200);
      const clients = startClients("/notes", 4, [first]);
      const second = await startService(full, production); // maxSurge: 1, maxUnavailable: 0
      await untilReply(`${second.url}/health/ready`, ({ status }) => status === 200);
      clients.targets.push(second);
      while (!clients.replies.some(({ url }) => url === second.url))
        await untilReply(`${second.url}/notes`, () => true);
      clients.targets.shift();
      const before = clients.replies.length;
      expect(await first.stop()).toBe(0); // requests in flight and open connections are left to the drain
      await clients.stop();
      expect(clients.failures).toEqual([]);
      expect(new Set(clients.replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(clients.replies.length).toBeGreaterThan(before);
    },
    LIMIT_MS,
  );

  test(
    "under reload an edited route of the minimal service answers anew on the same port",
    async () => {
      const service = await startService(minimal, {}, "--reload");
      const path = join(minimal, "src/app.ts");
      await untilReply(`${service.url}/hello/Ada`, ({ text }) => text === '{"message":"Hello, Ada"}');
      writeFileSync(path, readFileSync(path, "utf8").replace("Hello, ${", "Good morning, ${"));
      await untilReply(`${service.url}/hello/Ada`, ({ text }) => text === '{"message":"Good morning, Ada"}');
      expect(await service.stop()).toBe(0);
    },
    LIMIT_MS,
  );

  test(
    "the files that the Dockerfile copies are enough to start the service, which writes nothing beside them",
    async () => {
      const image = join(folder, "image");
      mkdirSync(image);
      for (const path of ["node_modules", "package.json", "migrations", "src"])
        run(full, "cp", "--recursive", "--no-dereference", path, image);
      const written = (): string[] => globSync("{*,src/*,migrations/*}", { cwd: image }).sort();
      const before = written();
      const service = await startService(image, {
        FRAMEWORK_ENV: "production",
        HOST: "127.0.0.1",
        DATABASE_URL: `sqlite://${join(folder, "image.db")}`,
        AUTH_SECRET: "a secret of this test with 32 bytes",
      });
      const [, script = ""] =
        /HEALTHCHECK[\s\S]*?"--eval", "([^"]*)"/.exec(readFileSync(join(full, "Dockerfile"), "utf8")) ?? [];
      const { port } = new URL(service.url);
      run(image, "env", `PORT=${port}`, process.execPath, "--eval", script); // exits 0
      expect(() => run(image, "env", "PORT=1", process.execPath, "--eval", script)).toThrow(/^env PORT=1/);
      expect(written()).toEqual(before);
    },
    LIMIT_MS,
  );
};
