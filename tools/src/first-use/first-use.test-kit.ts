import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readManifest } from "../packed/packages.ts";
import type { Rehearsal } from "../releases/rehearse.ts";
import { root } from "../root.ts";
import { startClients, startProgram, untilReply } from "./created-service.ts";
import { type Image, readDockerfile, readUnit, type Start } from "./deployment-files.ts";
import { documentedCommands } from "./documented.ts";

const GUIDE = "packages/create/README.md";

/** A route that the new user adds to the service, and a program that calls it. */
const ROUTE = `routes.get("/count", { summary: "How many notes", responses: { 200: z.object({ count: z.number() }) } }, async () => ({
    count: (await db.fetchAll\`SELECT id FROM notes\`).length,
  }));
  `;
const PROGRAM = `import { createClient } from "./api-client.ts";

await using notes = createClient(process.argv[2] ?? "");
const reply = await notes.getNotesCount();
if (reply.status !== 200) throw new Error(\`status \${reply.status}\`);
const count: number = reply.body.count;
console.log("count", count);
`;

/**
 * Registers the tests of a new user's path from an empty folder to production. All commands come from the documents that the user has: the README of
 * \`@framework/create\`, then the files that it wrote.
 *
 * @param home a folder that does not exist yet
 * @param rehearsal returns the registry with the published packages
 * @returns the folder of the service
 */
export const testFirstUse = (home: string, rehearsal: () => Rehearsal, limitMs: number): string => {
  const shell = (cwd: string, command: string): string => rehearsal().run(cwd, "bash", "-c", command);
  const project = join(home, "my-service");
  const read = (path: string): string => readFileSync(join(project, path), "utf8");

  test(
    "a new user gets from an empty folder to a rolling update without a failed request, with only the documented commands",
    async () => {
      mkdirSync(home);
      const begun = performance.now();
      const guide = documentedCommands(GUIDE, readFileSync(join(root, GUIDE), "utf8"));
      shell(home, guide.take("npm create @framework my-service"));
      const readme = documentedCommands("README.md", read("README.md"));
      const install = guide.take("cd my-service");
      expect(install).toBe(`cd my-service && ${readme.take("npm install")}`);
      shell(home, install);
      expect(guide.take("npm run dev")).toBe("npm run dev");
      expectReleasedVersions(project);

      const dev = await startProgram(
        project,
        ["bash", "-c", readme.take("npm run dev")],
        rehearsal().registry.env,
      );
      const first = await fetch(`${dev.url}/notes`);
      expect([first.status, await first.json()]).toEqual([200, { notes: [] }]);
      console.log(
        `${((performance.now() - begun) / 1000).toFixed(1)} s from an empty folder to the first reply`,
      );
      const [token, curl] = [readme.take("TOKEN="), readme.take("curl localhost:8000")];
      const added = shell(project, `${token}\n${curl.replace("localhost:8000", new URL(dev.url).host)}`);
      expect(JSON.parse(added)).toMatchObject({ body: "water the plants", author: "ann" });

      const [writeClient, checkClient] = [
        readme.take("npm run client "),
        readme.take("npm run client"),
      ].toSorted();
      shell(project, writeClient ?? "");
      const routes = join(project, "src/notes.ts");
      writeFileSync(routes, read("src/notes.ts").replace(`routes.get("", `, `${ROUTE}routes.get("", `));
      await untilReply(`${dev.url}/notes/count`, ({ text }) => text === '{"count":1}');
      expect(() => shell(project, checkClient ?? "")).toThrow(
        /src\/api-client\.ts differs from the API in line/,
      );
      shell(project, writeClient ?? "");
      writeFileSync(join(project, "src/count.ts"), PROGRAM);
      expect(shell(project, `node src/count.ts ${dev.url}`)).toBe("count 1\n");
      await dev.interrupt();
      await expect(fetch(dev.url)).rejects.toThrow("fetch failed");

      expect(shell(project, readme.take("npm test"))).toMatch(/pass 6\n[\s\S]*fail 0\n/);
      writeFileSync(join(project, ".env.example"), read(".env.example").replace(/^# LOG_LEVEL=.*$/m, ""));
      expect(() => shell(project, "node --test src/settings.test.ts")).toThrow(/LOG_LEVEL/);
      shell(project, readme.take("npm run check"));
      rmSync(join(project, ".env")); // as in a new clone
      shell(project, readme.take("npm run write-env"));
      expect(read(".env")).toMatch(/^AUTH_SECRET=[\w-]{43}$/m);
      const production = "REDIS_URL=redis://localhost DATABASE_URL=postgres://localhost/service";
      expect(shell(project, `${production} ${readme.take("npm run doctor")}`)).toContain("no findings");
      const drain = `${readme.take("npx framework drain")} || [ $? = 1 ]`; // a busy machine may leave connections in the listener's queue
      expect(shell(project, drain)).toMatch(/during the drain[\s\S]* after SIGTERM with exit code 0/);
      readme.take("npx framework upgrade --dry-run"); // `rehearsal.test.ts` runs it later, when a newer version exists
      expect(readme.unused).toEqual([]);

      const image = readDockerfile(read("Dockerfile"));
      const unit = readUnit(read("deploy/my-service.service"));
      const [, installed = "", secret = ""] = unit.commands; // the first one copies the project
      expect(image.install.startsWith(installed)).toBe(true);
      for (const path of image.copied)
        cpSync(join(project, path), join(home, "image", path), { recursive: true });
      shell(join(home, "image"), image.install);
      shell(home, secret.replace("/etc/my-service", home));
      await replaceUnderLoad(unit, image);
    },
    limitMs,
  );

  /** Replaces the systemd service with the container service, like a rolling update: each is started by its own command with its own variables. */
  const replaceUnderLoad = async (unit: Start, image: Image): Promise<void> => {
    const folder = join(home, "image");
    const files = (): string[] => globSync("{*,src/*,migrations/*}", { cwd: folder }).sort();
    const before = files();
    const places = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL: `sqlite://${join(home, "notes.db")}` };
    const common = { ...places, REQUESTS_PER_MINUTE: "1000000" }; // all requests come from one client
    const credential = { AUTH_SECRET_FILE: unit.variables["AUTH_SECRET_FILE"]?.replace("%d", home) };
    const [node = "", ...script] = unit.words;
    expect([node, ...script]).toEqual(["/usr/bin/node", "src/main.ts"]);
    const first = await startProgram(folder, ["node", ...script], {
      ...unit.variables,
      ...credential,
      ...common,
    });
    await untilReply(`${first.url}/health/ready`, ({ status }) => status === 200);
    const clients = startClients("/notes/count", 4, [first]);
    const secrets = Object.fromEntries(
      Array.from(read(".env").matchAll(/^(\w+)=(.+)$/gm), ([, name = "", value = ""]) => [name, value]),
    );
    const second = await startProgram(folder, image.words, { ...secrets, ...image.variables, ...common });
    await untilReply(`${second.url}/health/ready`, ({ status }) => status === 200);
    const healthCheck = image.healthCheck.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    shell(folder, `PORT=${new URL(second.url).port} ${healthCheck}`);
    expect(() => shell(folder, `PORT=1 ${healthCheck}`)).toThrow(/PORT=1 .*node/);
    clients.targets.push(second);
    await untilReply(`${second.url}/notes/count`, () =>
      clients.replies.some(({ url }) => url === second.url),
    );
    clients.targets.shift();
    const replies = clients.replies.length;
    await first.stop(); // the drain handles requests in flight and open connections
    await untilReply(`${second.url}/notes/count`, () => clients.replies.length > replies);
    await clients.stop();
    expect(clients.failures).toEqual([]);
    expect(new Set(clients.replies.map(({ status }) => status))).toEqual(new Set([200]));
    await second.stop();
    expect(files()).toEqual(before); // the file system of the image is read-only
  };

  test(
    "the minimal service can be installed, run, tested and examined with only the commands of its README",
    async () => {
      const folder = join(home, "minimal");
      mkdirSync(folder);
      const guide = documentedCommands(GUIDE, readFileSync(join(root, GUIDE), "utf8"));
      guide.take("npm create");
      shell(folder, guide.take("npm create @framework my-service -- --variant minimal"));
      const minimal = join(folder, "my-service");
      const readme = documentedCommands("README.md", readFileSync(join(minimal, "README.md"), "utf8"));
      shell(minimal, readme.take("npm install"));
      for (const command of [readme.take("npm run dev"), readme.take("npm start")]) {
        const service = await startProgram(minimal, ["bash", "-c", command], rehearsal().registry.env);
        expect(await (await fetch(`${service.url}/hello/Ada`)).json()).toEqual({ message: "Hello, Ada" });
        await service.interrupt();
      }
      expect(shell(minimal, readme.take("npm test"))).toMatch(/pass 1\n[\s\S]*fail 0\n/);
      shell(minimal, readme.take("npm run check"));
      shell(minimal, readme.take("npm install --save-dev"));
      expect(shell(minimal, readme.take("npx framework doctor"))).toContain("no findings");
      expect(readme.unused).toEqual([]);
    },
    limitMs,
  );

  return project;
};

/** Expects ranges for the packages of the framework and exact versions for others. */
const expectReleasedVersions = (project: string): void => {
  const { dependencies, devDependencies } = readManifest(project);
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
    expect([name, range]).toEqual([
      name,
      expect.stringMatching(name.startsWith("@framework/") ? /^\^\d+\.\d+\.\d+$/ : /^\d+\.\d+\.\d+$/),
    ]);
};
