import type { Feature, Host } from "@framework/core/feature";
import type { Problem } from "@framework/core";
import { FileServer } from "./file-server.ts";
import { ServedFolder } from "./served-folder.ts";
import { StaticFilesConfig, type StaticFilesInput } from "./static-files-config.ts";

/** The methods that the feature adds to an app. */
export interface StaticFiles {
  /**
   * Serves the files of a folder to GET and HEAD requests, with ranges, conditional requests, precompressed siblings and index files.
   *
   * @param config.directory the folder; required
   * @param config.prefix path prefix of its files. @default "/static"
   * @param config.cacheMaxAge seconds for which clients may cache a file. @default 3600
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors; STATIC_FILES_NO_DIRECTORY at start
   */
  enableStaticFiles(config: StaticFilesInput): this;
}

/**
 * Serves the files of a folder, and nothing outside of it.
 *
 * @example
 * const app = new (App.with(staticFiles))().enableStaticFiles({ directory: "public" });
 */
export const staticFiles: Feature<StaticFiles> = {
  name: "static-files",
  install: (host) => ({
    enableStaticFiles(config) {
      const given: StaticFilesInput | undefined = config; // untyped programs may omit it
      if (given?.directory === undefined) host.problem(noDirectory);
      enable(host, host.configure(StaticFilesConfig, given));
      return this;
    },
  }),
};

const noDirectory: Problem = {
  code: "CORE_BAD_CONFIG",
  message: "StaticFilesConfig.directory must be set: it names the folder whose files are served",
};

const enable = (host: Host, config: Readonly<StaticFilesConfig>): void => {
  const { directory, prefix } = config;
  const folder = new ServedFolder(directory);
  const { reasons } = host.insight;
  const server = new FileServer(config, folder, reasons);
  const below = prefix === "/" ? "/" : `${prefix}/`;
  const paths = new Set([prefix, below, `${below}{*file}`]);
  for (const path of paths) host.http.route("GET", path, (request) => server.serve(request));
  host.check(() => (directory === "" ? [] : [folder.problem()].filter((problem) => problem !== null)));
  host.life.onStart({ name: "static-files", run: () => folder.open() });
  host.insight.expose("static-files", () => ({
    directory: folder.path,
    prefix,
    openFiles: folder.openFiles,
  }));
  host.insight.metric({
    name: "static_files_open",
    help: "Open files that are being sent.",
    type: "gauge",
    read: () => folder.openFiles,
  });
};
