// Copies the files that the pages load, with their licences, into the built package.
import { copyFileSync, globSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { copiesOf, redoc, swaggerUi } from "./dist/pages/bundle.js";

for (const bundle of [swaggerUi, redoc]) {
  const origin = bundle.origin();
  const copies = copiesOf(bundle);
  rmSync(copies, { recursive: true, force: true });
  mkdirSync(copies, { recursive: true });
  const licences = bundle.files.flatMap((file) =>
    globSync(`${bundle.folder}/${file}.LICENSE.txt`, { cwd: origin }),
  );
  const files = bundle.files.map((file) => join(bundle.folder, file));
  for (const file of [...files, ...licences]) copyFileSync(join(origin, file), join(copies, basename(file)));
  // pnpm omits this package's LICENSE if any folder has a file of that name.
  for (const file of globSync("{LICENSE,NOTICE}", { cwd: origin }))
    copyFileSync(join(origin, file), join(copies, `${bundle.name}-${file}.txt`));
}
