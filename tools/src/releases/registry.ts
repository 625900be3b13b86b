import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@framework/services/free-port";

/** The record of a package in the registry. */
export interface Packument {
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, PublishedManifest>>;
}

/** The manifest of one published version. */
export interface PublishedManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  /** Address of its tarball. */
  readonly dist: { readonly tarball: string };
}

/** A package registry on the local machine. */
export interface Registry extends AsyncDisposable {
  /** Its address, ending in a slash. */
  readonly url: string;
  /** Environment for npm, pnpm and changesets, with which they use only this registry. */
  readonly env: NodeJS.ProcessEnv;
  /** Returns the record of a package; `null` for an unknown package. */
  packument(name: string): Promise<Packument | null>;
  /** Returns the bytes of a tarball. */
  tarball(address: string): Promise<Buffer>;
}

const START_MS = 60_000;

/** Returns the folder in which a registry stores its packages. */
export const storageOf = (folder: string): string => join(folder, "storage");

/**
 * Starts verdaccio, a package registry, in a folder.
 *
 * @param upstream address of a registry for packages of other scopes, which are then cached. @default none: such packages are only read from the storage, so no request leaves this machine
 * @throws Error with its output when it does not start within a minute
 */
export const startRegistry = async (folder: string, upstream?: string): Promise<Registry> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const config = join(folder, "verdaccio.json"); // JSON is YAML
  writeFileSync(config, JSON.stringify(configuration(folder, upstream)));
  const userConfig = join(folder, "npmrc");
  writeFileSync(userConfig, `registry=${url}\n//127.0.0.1:${port}/:_authToken=rehearsal\n`);
  const manifest = createRequire(import.meta.url).resolve("verdaccio/package.json");
  const args = [
    join(dirname(manifest), "bin/verdaccio"),
    "--config",
    config,
    "--listen",
    `127.0.0.1:${port}`,
  ];
  const child = spawn(process.execPath, args, { env: plainEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += String(piece)));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  const deadline = Date.now() + START_MS;
  while (!(await isUp(url))) {
    if (child.exitCode === null && Date.now() < deadline) await delay(50);
    else {
      await stop();
      throw new Error(`verdaccio did not start: ${output}`);
    }
  }
  return {
    url,
    env: {
      ...plainEnvironment(),
      npm_config_userconfig: userConfig,
      npm_config_cache: join(folder, "npm-cache"),
      npm_config_registry: url,
      npm_config_update_notifier: "false",
    },
    async packument(name) {
      const { status, body } = await fetchBytes(url + name.replace("/", "%2f"));
      return status === 404 ? null : (JSON.parse(body.toString()) as Packument);
    },
    tarball: async (address) => (await fetchBytes(address)).body,
    [Symbol.asyncDispose]: stop,
  };
};

/** Returns the environment without the npm settings that a pnpm or npm script adds, and without the flags of jest. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm|pnpm)_|^NODE_OPTIONS$/i.test(name)),
  );

const configuration = (folder: string, upstream: string | undefined): object => {
  const open = { access: "$all", publish: "$all", unpublish: "$all" };
  return {
    storage: storageOf(folder),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    ...(upstream === undefined ? {} : { uplinks: { upstream: { url: upstream } } }),
    packages: {
      "@framework/*": open,
      "**": { access: "$all", ...(upstream === undefined ? {} : { proxy: "upstream" }) },
    },
    max_body_size: "50mb",
    web: { enable: false },
    log: { type: "stdout", format: "json", level: "warn" },
  };
};

const isUp = (url: string): Promise<boolean> =>
  fetchBytes(`${url}-/ping`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Sends a request on a new connection. While a test waits synchronously for a program, it could not notice that an idle connection was closed. */
const fetchBytes = async (url: string): Promise<{ readonly status: number; readonly body: Buffer }> => {
  const [reply] = (await once(get(url, { agent: false }), "response")) as [IncomingMessage];
  return { status: reply.statusCode ?? 0, body: await buffer(reply) };
};
