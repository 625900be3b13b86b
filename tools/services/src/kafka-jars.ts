import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { needProgram } from "./programs.ts";

const VERSION = "4.1.0";
const LOG4J = "2.24.3";

/** Returns the folder of Kafka's jars, downloaded once from Maven Central (43 MB) into the user's cache folder. */
export const kafkaJars = async (): Promise<string> => {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "framework-services");
  const folder = join(cache, `kafka-${VERSION}-log4j-${LOG4J}`);
  if (existsSync(folder)) return folder;
  const maven = needProgram("mvn");
  const unfinished = `${folder}.${process.pid}`; // renamed when complete: a partial folder would count as cached
  mkdirSync(unfinished, { recursive: true });
  try {
    const project = join(unfinished, "pom.xml");
    writeFileSync(project, pom);
    const copy = [
      "dependency:copy-dependencies",
      "-DincludeScope=runtime",
      `-DoutputDirectory=${unfinished}`,
    ];
    await promisify(execFile)(maven, ["-q", "-B", "-f", project, ...copy], { timeout: 300_000 });
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
};

const dependency = (group: string, artifact: string, version: string): string =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;

// Kafka uses SLF4J 1.7, so log4j-slf4j-impl and not log4j-slf4j2-impl.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>framework</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
${dependency("org.apache.kafka", "kafka_2.13", VERSION)}
${dependency("org.apache.logging.log4j", "log4j-slf4j-impl", LOG4J)}
${dependency("org.apache.logging.log4j", "log4j-core", LOG4J)}
</dependencies></project>
`;
