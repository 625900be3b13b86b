import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@framework/services/free-port";

/** A proxy's log entry for a request that it sent to its backend. */
export interface ForwardedRequest {
  readonly method: string;
  readonly target: string;
  /** Whether the reply came from the app: it has the field `X-App`. */
  readonly byApp: boolean;
}

/** A real proxy in front of a server, on the loopback address. */
export interface Proxy {
  readonly port: number;
  /** Every completed request that it forwarded, in the order of completion. */
  forwarded(): Promise<ForwardedRequest[]>;
  stop(): Promise<void>;
}

/** Program and configuration of a proxy. */
interface Program {
  readonly name: string;
  readonly args: (config: string) => readonly string[];
  readonly config: (folder: string, port: number, backend: number) => string;
  /** Parses a log line about a forwarded request; `null` for any other line. */
  readonly read: (line: string) => ForwardedRequest | null;
}

/** nginx, as lenient as possible, with backend connections that all clients share. */
const nginx: Program = {
  name: "nginx",
  args: (config) => ["-c", config, "-e", "stderr"],
  config: (folder, port, backend) => `
daemon off; master_process off; worker_processes 1; error_log stderr crit; pid ${folder}/pid;
events { worker_connections 512; }
http {
  log_format passed '$upstream_addr $request_method $request_uri $upstream_http_x_app';
  access_log ${folder}/log passed;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  underscores_in_headers on; ignore_invalid_headers off; client_max_body_size 0; lingering_close always; lingering_timeout 1s;
  upstream backend { server 127.0.0.1:${backend} max_fails=0; keepalive 4; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
      proxy_request_buffering off; proxy_buffering off; proxy_next_upstream off;
    }
  }
}`,
  read: (line) => {
    const [backend = "-", method = "", target = "", app] = line.split(" ");
    return backend === "-" || target === ""
      ? null
      : { method, target: withoutAuthority(target), byApp: app === "1" };
  },
};

const haproxy: Program = {
  name: "haproxy",
  args: (config) => ["-f", config, "-db"],
  config: (_folder, port, backend) => `
global
  nbthread 1
  log stdout format raw local0
defaults
  mode http
  log global
  log-format "%si %HM %HU %[capture.res.hdr(0)]"
  option accept-invalid-http-request
  option http-no-delay
  http-reuse always
  timeout connect 5s
  timeout client 20s
  timeout server 20s
frontend front
  bind 127.0.0.1:${port}
  capture response header X-App len 4
  default_backend back
backend back
  server only 127.0.0.1:${backend}
`,
  read: (line) => {
    const [, method = "", target = "", app] = /^127\.0\.0\.1 (\S+) (\S+) (\S*)$/.exec(line) ?? [];
    return method === "" ? null : { method, target: withoutAuthority(target), byApp: app === "1" };
  },
};

const withoutAuthority = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/?]*/i, "");
  return path.startsWith("/") || path === target ? path : `/${path}`;
};

/** The supported proxies, by name. */
export const proxies: ReadonlyMap<string, Program> = new Map(
  [nginx, haproxy].map((program) => [program.name, program]),
);

/** System packages install the proxies outside some users' PATH. */
const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin` };

/** Whether the program is installed here. */
export const isInstalled = (name: string): boolean => spawnSync(name, ["-v"], { env }).error === undefined;

/** Starts a proxy for a port. @throws with its output if it does not listen */
export const startProxy = async (program: Program, backend: number): Promise<Proxy> => {
  const folder = await mkdtemp(join(tmpdir(), "proxy-"));
  await chmod(folder, 0o777); // nginx drops its privileges where it has any
  const port = await freePort();
  const config = join(folder, "config");
  await writeFile(config, program.config(folder, port, backend));
  const child = spawn(program.name, program.args(config), { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += String(text)));
  await untilListening(port, child, () => output);
  const log = (): Promise<string> => readFile(join(folder, "log"), "utf8").catch(() => output);
  return {
    port,
    forwarded: async () => (await log()).split("\n").flatMap((line) => program.read(line) ?? []),
    stop: async () => {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once("exit", resolve));
      await rm(folder, { recursive: true });
    },
  };
};

const untilListening = async (port: number, child: ChildProcess, output: () => string): Promise<void> => {
  const end = performance.now() + 60_000;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`the proxy does not listen: ${output()}`);
    await setTimeout(20);
  }
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.on("close", () => {}).once("connect", () => socket.destroy());
  });
