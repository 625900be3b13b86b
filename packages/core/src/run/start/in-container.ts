import { nodeBuiltin } from "../../runtime/node-builtins.ts";

/** Files that Docker and Podman put into each container. */
const containerFiles = ["/.dockerenv", "/run/.containerenv"];

/** Whether this process runs in a container of Docker, Podman or Kubernetes. */
export const isInContainer = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment["KUBERNETES_SERVICE_HOST"] !== undefined ||
  containerFiles.some(nodeBuiltin("node:fs").existsSync);
