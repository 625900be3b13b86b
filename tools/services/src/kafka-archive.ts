import { existsSync, renameSync } from "node:fs";

/** A class data sharing (CDS) archive of the classes that Kafka loads: a server starts in half the time with it. */
export interface KafkaArchive {
  /** JVM options that use the archive, if there is one. */
  readonly readOptions: readonly string[];
  /** JVM options that write it when the server stops gracefully, if there is none. */
  readonly writeOptions: readonly string[];
  /** Stores the archive that a stopped server has written. */
  readonly saveArchive: () => void;
}

/**
 * Returns the archive beside the jars. The first server with `isWritable` writes it when it stops, which takes some seconds longer and as much more processor
 * time. The JVM ignores an archive of another Java version.
 */
export const kafkaArchive = (jars: string, isWritable: boolean): KafkaArchive => {
  const archive = `${jars}.jsa`;
  if (existsSync(archive))
    return { readOptions: [`-XX:SharedArchiveFile=${archive}`], writeOptions: [], saveArchive() {} };
  if (!isWritable) return { readOptions: [], writeOptions: [], saveArchive() {} };
  const unfinished = `${jars}.${process.pid}.jsa`; // renamed when complete: another server may start now
  return {
    readOptions: [],
    writeOptions: [`-XX:ArchiveClassesAtExit=${unfinished}`],
    saveArchive: () => void (existsSync(unfinished) && renameSync(unfinished, archive)),
  };
};
