import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClusterConfig } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { validate } from "dockerfile-utils";
import { parse, parseAllDocuments } from "yaml";
import { scratchFolder } from "./scratch-folder.test-kit.ts";
import { serviceFiles } from "./service-files.ts";
import { templateApp } from "./template-app.test-kit.ts";

const files = serviceFiles("notes", "full", () => "s".repeat(43));
const read = (path: string): string => files.get(path) ?? `no file ${path}`;

const dockerfile = read("Dockerfile").replaceAll("\\\n", "").split("\n");
const [, variablesOfImage = ""] = /^ENV (.*)$/m.exec(read("Dockerfile")) ?? [];
const port = Number(/PORT=(\d+)/.exec(variablesOfImage)?.[1]);
const [deployment, service, budget] = parseAllDocuments(read("deploy/kubernetes.yaml")).map((each) =>
  each.toJS(),
);
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const drainSecs = ClusterConfig.of().shutdownTimeoutSecs;

test("every probe and the image's health check request a path that returns 200 once the app has started", async () => {
  await using client = testClient(await templateApp({ DATABASE_URL: "sqlite://:memory:" }));
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const [, ofImage] = /\{process\.env\.PORT\}(\/[\w/]+)/.exec(read("Dockerfile")) ?? [];
  const paths = [
    ...[startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path),
    ofImage,
  ];
  for (const path of paths) expect([path, (await client.get(path)).status]).toEqual([path, 200]);
  expect(new Set(paths).size).toBe(3);
});

test("the systemd unit is installed without .env, which its user could not read", () => {
  expect(read("deploy/notes.service")).toContain(
    "rsync -a --exclude .env --exclude node_modules ./ /srv/notes/",
  );
});

test("the image, Kubernetes, Compose and systemd use the same port", () => {
  expect(port).toBe(8000);
  expect(dockerfile).toContain(`EXPOSE ${port}`);
  expect(container.ports).toEqual([{ name: "http", containerPort: port }]);
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"])
    expect(container[probe].httpGet.port).toBe("http");
  expect(service.spec.ports[0].targetPort).toBe("http");
  expect(parse(read("compose.yaml")).services.service.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(read("deploy/notes.service")).toContain(`PORT=${port}`);
});

test("Kubernetes, Compose and systemd wait longer than the drain", () => {
  const before = container.lifecycle.preStop.sleep.seconds;
  expect(before).toBeGreaterThan(container.readinessProbe.periodSeconds);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(before + drainSecs);
  expect(Number.parseInt(parse(read("compose.yaml")).services.service.stop_grace_period)).toBeGreaterThan(
    drainSecs,
  );
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(read("deploy/notes.service"))?.[1])).toBeGreaterThan(
    drainSecs,
  );
});

test("a rolling update starts a pod before it stops one, and selectors match the pods", () => {
  expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  const { labels } = deployment.spec.template.metadata;
  for (const selector of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
  ])
    expect(labels).toMatchObject(selector);
  expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas);
});

test("pods are not root, cannot escalate privileges, write only under /tmp, and have resource limits", () => {
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(container.volumeMounts).toEqual([{ name: "tmp", mountPath: "/tmp" }]);
  expect(Object.keys(container.resources)).toEqual(["requests", "limits"]);
});

test("the Dockerfile is valid, copies existing files, and starts without root, npm or a shell", () => {
  expect(validate(read("Dockerfile"))).toEqual([]);
  const stage = dockerfile.slice(dockerfile.findLastIndex((line) => line.startsWith("FROM ")));
  expect(stage[0]).toBe("FROM node:26-slim");
  expect(stage.filter((line) => /^(USER|CMD) /.test(line))).toEqual([
    "USER node",
    'CMD ["node", "src/main.ts"]',
  ]);
  expect(variablesOfImage).toMatch(/^FRAMEWORK_ENV=production HOST=0\.0\.0\.0 /);
  const copied = dockerfile.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? []);
  expect(copied.length).toBeGreaterThan(3);
  const ignored = read(".dockerignore").split("\n");
  for (const path of copied.filter((each) => each !== "package-lock.json")) {
    expect([path, [...files.keys()].some((each) => each === path || each.startsWith(`${path}/`))]).toEqual([
      path,
      true,
    ]);
    expect(ignored).not.toContain(path);
  }
});

test("the settings of every deployment file are variables of the service", () => {
  const known = [...read(".env.example").matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);
  const ofCore = ["FRAMEWORK_ENV", "HOST", "PORT"];
  const compose = parse(read("compose.yaml"));
  const used = [
    ...Object.keys(compose.services.service.environment),
    ...container.env.map(({ name }: { name: string }) => name),
    ...[...variablesOfImage.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name),
    ...[...read("deploy/notes.service").matchAll(/[= ]([A-Z_]+?)(?:_FILE)?=/g)].map(([, name]) => name),
  ];
  expect(used.length).toBeGreaterThan(8);
  for (const name of used) expect([...known, ...ofCore]).toContain(name);
});

test("CI runs the scripts of package.json, and the debugger starts the program", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const { steps } = parse(read(".github/workflows/ci.yml")).jobs.test;
  const commands = steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands).toEqual(["npm ci", "npm run check", "npm test"]);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["check", "test", "start", "dev"]));
  const { configurations } = JSON.parse(read(".vscode/launch.json"));
  expect(configurations[0].program).toBe("${workspaceFolder}/src/main.ts");
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("systemd accepts the unit", () => {
  using scratch = scratchFolder();
  const unit = read("deploy/notes.service");
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node src\/main\.ts$/m);
  if (!hasSystemd) return;
  const path = join(scratch.path, "notes.service");
  writeFileSync(path, unit.replace("/usr/bin/node", process.execPath)); // verify checks that the program exists
  const { stderr, status } = spawnSync("systemd-analyze", ["verify", "--man=no", path], { encoding: "utf8" });
  expect([status, stderr.split("\n").filter((line) => line.includes("notes.service"))]).toEqual([0, []]);
});
