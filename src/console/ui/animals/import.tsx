import { CopyButton } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { WORDS } from "./words.ts";

const { import: TEXT } = WORDS;

const Command = ({ line }: { line: string }) => (
  <span class="command">
    <code>{line}</code> <CopyButton text={line} what={TEXT.copied} />
  </span>
);

/** The dialog that explains how to import animals: the API has no operation for it. */
export const ImportAnimals = ({ back }: { back: string }) => {
  const [save, check, run] = TEXT.steps;
  return (
    <Dialog title={WORDS.importFile} back={back}>
      <ol>
        <li>{save}</li>
        <li>
          {check} <Command line={TEXT.check} />
        </li>
        <li>
          {run} <Command line={TEXT.run} />
        </li>
      </ol>
      <footer>
        <a class="button secondary outline" href="/manual/tutorials/a-shelters-spreadsheet" target="_blank">
          {TEXT.guide}
        </a>
        <a class="button" href={back}>
          {TEXT.done}
        </a>
      </footer>
    </Dialog>
  );
};
