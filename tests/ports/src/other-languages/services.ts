import { join } from "node:path";

/** The commands that build, test and start a service in another language. */
export interface ExternalService {
  readonly name: string;
  /** Folder of its sources. */
  readonly folder: string;
  /** Commands that print versions and fail if the service cannot run; the last command prints the version of the language. */
  readonly versions: readonly (readonly string[])[];
  /** Builds it and runs its own tests. */
  readonly prepare: readonly (readonly string[])[];
  readonly start: readonly string[];
}

const folder = (name: string): string => join(import.meta.dirname, "../..", name);
const python = folder(".cache/venv/bin/python");

/** The services in Java and Python. */
export const externalServices: readonly ExternalService[] = [
  {
    name: "Spring Boot",
    folder: folder("spring"),
    versions: [
      ["mvn", "--version"],
      ["java", "--version"],
    ],
    prepare: [["mvn", "--batch-mode", "--quiet", "clean", "package"]],
    start: ["java", "-jar", folder("spring/target/books.jar")],
  },
  {
    name: "FastAPI",
    folder: folder("fastapi"),
    versions: [["python3", "--version"]],
    prepare: [
      ["python3", "-m", "venv", folder(".cache/venv")],
      [python, "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"],
      [python, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"],
    ],
    start: [python, "-m", "uvicorn", "--log-level", "warning", "--port", "8000", "app:app"],
  },
];
