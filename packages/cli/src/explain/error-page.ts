import type { InstalledPackage } from "./installed-packages.ts";

/** Address of the documentation site, which the workflow `docs.yml` publishes. */
const SITE = "https://framework.github.io/framework/";

/** Returns the address of the page of an error code; `undefined` for codes of projects and private packages, which have no page there. */
export const errorPage = (
  code: string,
  { name, manifest }: Pick<InstalledPackage, "name" | "manifest">,
): string | undefined =>
  name.startsWith("@framework/") && manifest.private !== true ? `${SITE}errors/${code}/` : undefined;
