import { unknownSaga, unknownWait } from "../errors/saga-errors.ts";
import type { AnySaga } from "./definition.ts";

/** The definitions of a process, by name and version. */
export class SagaRegistry {
  private readonly definitions = new Map<string, AnySaga>();

  /** Adds a definition, unless it has mistakes. Returns the mistakes. */
  add(definition: AnySaga): readonly string[] {
    const { name, version, problems } = definition;
    const key = keyOf(name, version);
    if (this.definitions.has(key)) return ["it is defined twice; rename one, or give it another version"];
    if (problems.length === 0) this.definitions.set(key, definition);
    return problems;
  }

  /** Returns all definitions. */
  all(): readonly AnySaga[] {
    return Array.from(this.definitions.values());
  }

  /** Whether the process has a version of a saga. */
  has(name: string, version: number): boolean {
    return this.definitions.has(keyOf(name, version));
  }

  /**
   * Checks that some version of a saga in this process has a wait: otherwise a message for it would be stored forever. Does nothing if only other processes
   * define the instance's version, as during a rolling deployment, because its waits are unknown here.
   *
   * @throws SAGA_NO_WAIT
   */
  checkWait({ name: saga, version }: Pick<AnySaga, "name" | "version">, wait: string): void {
    if (!this.has(saga, version)) return;
    const waits = this.all()
      .filter(({ name }) => name === saga)
      .flatMap(({ steps }) => steps.filter(({ kind }) => kind === "wait").map(({ name }) => name));
    if (!waits.includes(wait)) throw unknownWait(saga, wait, waits);
  }

  /**
   * Returns the definition whose schemas check a message for an instance: the definition of the instance's version, or `definition` if there is no instance
   * or this process does not define its version.
   */
  versionOf(definition: AnySaga, version: number | undefined): AnySaga {
    const own = version === undefined ? undefined : this.definitions.get(keyOf(definition.name, version));
    return own ?? definition;
  }

  /** Returns a version of a saga. @throws SAGA_UNKNOWN */
  get(name: string, version: number): AnySaga {
    const definition = this.definitions.get(keyOf(name, version));
    if (definition === undefined) throw unknownSaga(name, version);
    return definition;
  }
}

const keyOf = (name: string, version: number): string => `${name}:${version}`;
