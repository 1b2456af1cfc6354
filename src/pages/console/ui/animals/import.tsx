import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { callConsole, callHeaders, dataOf, finishWrite, hasCode, store } from "../api/client.ts";
import { CATEGORIES, CUSTOM_FIELDS, useCategories, useCustomFields } from "../categories/queries.ts";
import { ActionButton, useAction, useIdempotencyKey } from "../parts/action.tsx";
import { idOf } from "../parts/address.ts";
import { About, Confirm, Dialog, DialogButtons, ItemDialog, useDraftGuard } from "../parts/dialog.tsx";
import { download } from "../parts/download.ts";
import { Check, DropField, Select, SelectField, TextField, useDraft } from "../parts/form.tsx";
import { Notice, Problem, Time } from "../parts/page.tsx";
import { differing } from "../parts/draft.ts";
import { useOne } from "../parts/queries.ts";
import { type Column, List, RowLinks, Table, byId } from "../parts/table.tsx";
import { pluralize } from "../parts/wording.ts";
import { type View, animalsPath, isStatus } from "./animal.ts";
import { StatusBadge } from "./dialogs.tsx";
import * as file from "./import-file.ts";
import { type Member, membersWith } from "./profile.ts";
import { ANIMALS, resetAnimals } from "./queries.ts";

/** A file as text. Each version of it has another number. */
type Chosen = ReturnType<typeof file.decode> & { name: string; version: number };

const IMPORTS = ["imports"] as const;
/** What an import or its undo may change, apart from lists and profiles. */
const CHANGES = [ANIMALS, CATEGORIES, CUSTOM_FIELDS, IMPORTS];

const useImports = () => useOne(IMPORTS, () => store.GET("/imports", {}));

const isJson = ({ name }: Chosen): boolean => /\.(ndjson|jsonl)$/i.test(name);

/** Sends a file, but not by the client, which restarts all reads after a POST: a dry run is a read. @throws ApiError */
const send = async (chosen: Chosen, query: string, init: RequestInit = {}): Promise<file.Report> => {
  const name = encodeURIComponent(chosen.name);
  const response = await callConsole("POST", `api/v1/imports?name=${name}&${query}`, {
    ...init,
    headers: {
      ...callHeaders(),
      "content-type": isJson(chosen) ? "application/x-ndjson" : "text/csv",
      ...init.headers,
    },
    body: chosen.text,
  });
  return (await response.json()) as file.Report;
};

/** The report of a dry run, the text that it is about, and its rejected rows. */
interface Checked {
  report: file.Report;
  text: string;
  rows: readonly file.FoundRow[];
}

const MAX_TRIES = 20;

/** Checks a file, again after each change. The previous result stays until then, and if the check fails. */
const useCheck = (chosen: Chosen, query: string) => {
  const found = useQuery<Checked>({
    queryKey: ["import check", chosen.version, query],
    async queryFn({ signal }) {
      const report = await send(chosen, `dryRun=true&${query}`, { signal });
      const rows = file.findRows(chosen.text, report.rejectedRows, isJson(chosen));
      return { report, text: chosen.text, rows };
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    // The server reads one file at a time, and may still read one whose check was cancelled.
    retry: (count, error) => hasCode(error, "import_running") && count < MAX_TRIES,
    retryDelay: 300,
  });
  const last = useRef<Checked>();
  last.current = found.data ?? last.current;
  return { ...found, checked: last.current };
};

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section>
    <h3>{title}</h3>
    {children}
  </section>
);

const Names = ({ title, names }: { title: string; names: readonly string[] }) =>
  names.length > 0 && (
    <p>
      {title}: <bdi>{names.join(", ")}</bdi>
    </p>
  );

/**
 * The counts of an import and its notes. They take the focus from a control that no longer exists.
 * @param report undefined while a file is checked for the first time, and after an error
 */
const Summary = ({
  report,
  isDry = false,
  isBusy = false,
}: {
  report: file.Report | undefined;
  isDry?: boolean;
  isBusy?: boolean;
}) => {
  const counts = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) counts.current?.focus();
  }, [report]);
  return (
    <>
      <p ref={counts} role="status" tabIndex={-1}>
        <strong>{report ? file.countsOf(report, isDry) : isBusy && "Checking the file…"}</strong>
      </p>
      {report && (
        <>
          <Names title="New categories" names={report.createdCategories} />
          <Names title="New custom fields" names={report.createdFields} />
          <Names title="Not in the file" names={report.absentAnimals.map(({ name }) => name)} />
          <ul>
            {file.notesOf(report).map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
};

/** Everything that the parts of the form show. */
interface Shown {
  form: Pick<ReturnType<typeof useDraft<file.Options>>, "draft" | "bind" | "change">;
  members: readonly Member[];
  columns: file.Report["columns"];
  report: file.Report | undefined;
}

type Preview = file.Report["preview"][number];

const PreviewPart = ({ report, members }: Shown) => {
  const columns: readonly Column<Preview>[] = [
    { name: "Name", kind: "row", cell: ({ name }) => <bdi>{name}</bdi> },
    { name: "Line", kind: "number", cell: ({ line }) => line },
    { name: "Category", cell: ({ category }) => <bdi>{category}</bdi> },
    { name: "Status", cell: ({ status }) => <StatusBadge status={isStatus(status) ? status : undefined} /> },
    { name: "Change", cell: (one) => file.changeLines(one, members).map((line) => <div>{line}</div>) },
  ];
  const preview = report?.preview ?? [];
  const isUpdate = preview.some(({ id }) => id !== undefined);
  return (
    preview.length > 0 && (
      <Part title="Preview">
        <Table
          label="Preview"
          stackBelow={32}
          items={preview}
          keyOf={({ line }) => line}
          columns={isUpdate ? columns : columns.slice(0, -1)}
        />
      </Part>
    )
  );
};

const MISSING = Object.entries({ "": "Keep unchanged", adopted: "Mark as adopted", delete: "Delete" });
const DATES = Object.entries({
  "": "Automatic",
  dmy: "Day first: 31/12/2026",
  mdy: "Month first: 12/31/2026",
});
const CURRENCIES = ["", ...Intl.supportedValuesOf("currency")].map((code) => [code, code] as const);

/** @param texts of the API: some options are shown only if they ask for them */
const OptionsPart = ({ form: { draft, bind, change }, columns, texts }: Shown & { texts: string[] }) => {
  type Name = file.Control & keyof file.Options;
  const isShown = (name: Name) => draft[name] || file.asksFor(name, texts);
  const check = (name: Name, others: Partial<file.Options> = {}) => (
    <Check isChecked={Boolean(draft[name])} onCheck={(isOn) => change({ [name]: isOn, ...others })}>
      {file.labelOf(name)}
    </Check>
  );
  const names = columns.map(({ name }) => [name, name] as const);
  return (
    <Part title="Options">
      {check("createCategories")}
      {check("createFields")}
      {isShown("again") && check("again")}
      {check("update", { key: draft.key || file.keyColumnOf(columns) })}
      <div class="fields">
        {draft.update && <SelectField label="Match animals by" options={names} {...bind("key")} />}
        {draft.update && (
          <SelectField label="Animals not in the file" options={MISSING} {...bind("missing")} />
        )}
        {isShown("dates") && <SelectField label={file.labelOf("dates")} options={DATES} {...bind("dates")} />}
        {isShown("currency") && (
          <SelectField label={file.labelOf("currency")} options={CURRENCIES} {...bind("currency")} />
        )}
      </div>
      {draft.update && draft.missing && check("confirmed")}
    </Part>
  );
};

/** The words of the file that the store does not know. */
const WordsPart = ({ form: { draft, change }, members, report }: Shown) => {
  const categories = useCategories().categories.map(({ name }) => name);
  const labels = new Map(file.fieldChoices(members));
  const words = file.wordsOf(draft, report);
  return (
    words.length > 0 && (
      <Part title="Match unknown values">
        <div class="fields">
          {words.map((word) => {
            const [field = "", ...text] = word.split(":");
            return (
              <SelectField
                key={word}
                label={`${labels.get(field) ?? field}: ${text.join(":")}`}
                value={draft.value[word] ?? file.UNKNOWN}
                options={[[file.UNKNOWN, "Choose…"], ...file.meaningsOf(field, members, categories)]}
                onValue={(to) => change({ value: { ...draft.value, [word]: to } })}
              />
            );
          })}
        </div>
      </Part>
    )
  );
};

const ColumnsPart = ({ form: { draft, change }, members, columns }: Shown) => {
  const choices = file.fieldChoices(members);
  const select = ({ name, field }: Shown["columns"][number]) => {
    const value = draft.map[name] ?? field ?? "ignore";
    const isNew = !choices.some(([choice]) => choice === value);
    return (
      <Select
        aria-label={`${name} is imported as`}
        value={value}
        options={isNew ? [...choices, [value, "New custom field"]] : choices}
        onValue={(to) => change({ map: { ...draft.map, [name]: to } })}
      />
    );
  };
  return (
    <Part title={file.labelOf("map")}>
      <Table
        label={file.labelOf("map")}
        stackBelow={32}
        items={columns}
        keyOf={(_, index) => index}
        columns={[
          { name: "Column", kind: "row", cell: ({ name }) => <bdi>{name}</bdi> },
          { name: "Imported as", cell: select },
          { name: "Sample values", cell: ({ samples }) => <bdi>{samples.join(" · ")}</bdi> },
        ]}
      />
    </Part>
  );
};

interface RejectedProps {
  checked: Checked;
  corrections: file.Corrections;
  onCorrections: (corrections: file.Corrections) => void;
  children: ComponentChildren;
}

/** Rejected rows with a field for each cell. */
const RejectedPart = ({ checked: { report, rows }, corrections, onCorrections, children }: RejectedProps) =>
  rows.length > 0 && (
    <Part title="Rejected rows">
      <p>
        {report.rejected > rows.length && `These are the first ${rows.length} of ${report.rejected}. `}
        Correct these rows here, or import the file without them.
      </p>
      {rows.map((found) => {
        const values = corrections[found.line] ?? file.valuesOf(found, report);
        return (
          <fieldset key={found.line} class="rejected">
            <legend>Line {found.line}</legend>
            <p class="wrong">{file.withLabels(found.reason)}</p>
            <div class="fields">
              {values.map((value, index) => (
                <TextField
                  key={index}
                  label={file.cellLabel(found, report, index)}
                  value={value}
                  onValue={(now) => onCorrections({ ...corrections, [found.line]: values.with(index, now) })}
                  {...(value.includes("\n") && { rows: 3 })}
                />
              ))}
            </div>
            {!found.row && "Correct this row in the spreadsheet."}
          </fieldset>
        );
      })}
      {children}
    </Part>
  );

const Result = ({ report, name, view }: { report: file.Report; name: string; view: View }) => {
  const { id, rejected, rejectedRows } = report;
  const first = rejected > rejectedRows.length ? `first ${rejectedRows.length} ` : "";
  return (
    <>
      <Summary report={report} />
      {rejected > 0 && (
        <button
          type="button"
          class="secondary outline"
          onClick={() => download(`rejected-${name.replace(/\.\w+$/, "")}.csv`, file.rejectedCsv(report))}
        >
          Download the {first}rejected rows
        </button>
      )}
      <footer>
        {id !== undefined && (
          <a class="button secondary outline" href={animalsPath(view, "import", id)}>
            Undo this import
          </a>
        )}
        <a class="button" href={animalsPath(view)}>
          Done
        </a>
      </footer>
    </>
  );
};

interface FormProps {
  chosen: Chosen;
  onChosen: (chosen?: Chosen) => void;
  view: View;
}

/** What an import of the file would do, its options, and the button that imports it. */
const ImportForm = ({ chosen, onChosen, view }: FormProps) => {
  const queries = useQueryClient();
  const headers = useIdempotencyKey();
  const form = useDraft<file.Options>(file.DEFAULTS);
  const { update, missing } = form.draft;
  const query = file.queryOf(form.draft);
  const [corrections, setCorrections] = useState<file.Corrections>({});
  const members = membersWith(useCustomFields().data ?? []);
  const { checked, error, isFetching, refetch } = useCheck(chosen, query);
  const importing = useAction({
    act: () => send(chosen, query, { headers }).finally(finishWrite),
    changes: CHANGES,
    onDone: () => resetAnimals(queries),
  });
  const sent = useRef(corrections);
  const isCorrected = checked?.rows.some(({ line }) => corrections[line]) ?? false;
  const recheck = () => {
    sent.current = corrections;
    if (checked) onChosen({ ...chosen, text: file.rewrite(checked.text, checked.rows, corrections) });
  };
  useDraftGuard(!importing.data);
  useEffect(() => {
    importing.reset();
    // The next report may no longer have the rows.
    if (isCorrected) recheck();
  }, [query]);
  // Only after the check, which may fail. The user may have typed more in the meantime.
  useEffect(() => setCorrections((now) => differing(now, sent.current) as file.Corrections), [checked?.text]);
  if (importing.data) return <Result report={importing.data} name={chosen.name} view={view} />;
  const report = checked?.report;
  const problem = importing.error ?? error;
  const columns = (report?.columns ?? file.columnsOf(chosen.text)).filter(({ name }) => name.trim() !== "");
  const shown = { form, members, columns, report };
  const { added = 0, updated = 0, absent = 0, notes = [] } = report ?? {};
  const hasChanges = added + updated > 0 || (update && missing !== "" && absent > 0);
  return (
    <>
      <div aria-busy={isFetching} inert={importing.isPending}>
        <p>
          <bdi>{chosen.name}</bdi>{" "}
          <button type="button" class="link" onClick={() => onChosen()}>
            Choose another file
          </button>
        </p>
        {chosen.isGuess && (
          <Notice
            tone="waiting"
            text="The file is not UTF-8, so it was read as windows-1252. If accented letters look wrong, save it as CSV UTF-8."
          />
        )}
        {problem && (
          <Problem
            error={file.withLabels(problem.message)}
            onRetry={hasCode(problem, "import_refused") ? undefined : refetch}
          />
        )}
        <Summary report={error ? undefined : report} isDry isBusy={isFetching} />
        <PreviewPart {...shown} />
        <OptionsPart {...shown} texts={[problem?.message ?? "", ...notes]} />
        <WordsPart {...shown} />
        {checked && (
          <RejectedPart checked={checked} corrections={corrections} onCorrections={setCorrections}>
            <ActionButton class="secondary" action={{ isPending: isFetching, run: recheck }}>
              Check again
            </ActionButton>
          </RejectedPart>
        )}
        <ColumnsPart {...shown} />
        <p role="status">{isCorrected && "Check the corrected rows again before you import."}</p>
      </div>
      <DialogButtons
        label={added + updated > 0 ? `Import ${pluralize(added + updated, "animal")}` : "Import"}
        isBusy={importing.isPending}
        isDangerous={update && missing === "delete"}
        isEnabled={hasChanges && !error && !isFetching && !isCorrected}
        onConfirm={() => importing.run()}
      />
    </>
  );
};

const EarlierImports = ({ view }: { view: View }) => {
  const found = useImports();
  return (
    <Part title="Earlier imports">
      <List
        found={found}
        items={found.data ?? []}
        thing="import"
        purpose="You can undo an import here."
        table={{
          label: "Earlier imports",
          stackBelow: 32,
          keyOf: byId,
          columns: [
            { name: "File", kind: "row", cell: (one) => <bdi>{one.file}</bdi> },
            { name: "Imported", cell: ({ startedAt }) => <Time at={startedAt} /> },
            { name: "Result", cell: (one) => (one.undoneAt ? "Undone." : file.countsOf(one)) },
            {
              name: "Actions",
              kind: "actions",
              cell: (one) =>
                one.canUndo && (
                  <RowLinks name={one.file} links={{ Undo: animalsPath(view, "import", one.id) }} />
                ),
            },
          ],
        }}
      />
    </Part>
  );
};

const UndoForm = ({ one, back }: { one: file.Import; back: string }) => {
  const queries = useQueryClient();
  const undoing = useAction({
    act: () => dataOf(store.POST("/imports/{importId}/undo", { params: { path: { importId: one.id } } })),
    changes: CHANGES,
    onDone: () => resetAnimals(queries),
    at: back,
    says({ deleted, restored, readded: { length } }) {
      const renumbered = length > 0 ? `, ${length} of them with new numbers` : "";
      return `“${one.file}” undone: ${pluralize(deleted, "animal")} deleted, ${restored + length} restored${renumbered}`;
    },
  });
  return (
    <Confirm action={undoing} label="Undo" isDangerous>
      <About name={one.file}>will be undone: {file.countsOf(one)}</About>
      <p>
        Animals that it added are deleted. Animals that it changed or deleted are restored. Categories and
        custom fields that it created are kept.
      </p>
    </Confirm>
  );
};

/** Chooses a file, and shows the earlier imports. */
const ChooseFile = ({ onChosen, view }: Pick<FormProps, "onChosen" | "view">) => {
  const [advice, setAdvice] = useState<string>();
  const choose = async ([given]: readonly File[]) => {
    if (!given) return;
    setAdvice(file.adviceFor(given));
    if (file.adviceFor(given) !== undefined) return;
    const bytes = new Uint8Array(await given.arrayBuffer());
    onChosen({ name: given.name, version: 0, ...file.decode(bytes) });
  };
  return (
    <>
      {advice && <Problem error={advice} />}
      <DropField
        label="Drop a CSV file here, or choose one. You can review the changes before you import."
        name="file"
        onFiles={(files) => void choose(files)}
      />
      <EarlierImports view={view} />
    </>
  );
};

/** The dialog that imports animals from a file. @param act the id of an import that it undoes instead */
export const ImportAnimals = ({ view, act }: { view: View; act: string | undefined }) => {
  const [chosen, setChosen] = useState<Chosen>();
  const versions = useRef(0);
  const found = useImports();
  const id = idOf(act);
  const back = animalsPath(view, "import");
  const onChosen = (next?: Chosen) => setChosen(next && { ...next, version: ++versions.current });
  if (id !== undefined)
    return (
      <ItemDialog title="Undo import" back={back} thing="import" found={found} find={(one) => one.id === id}>
        {(one) => <UndoForm one={one} back={back} />}
      </ItemDialog>
    );
  return (
    <Dialog title="Import animals" back={animalsPath(view)}>
      <div class="import">
        {chosen ? (
          <ImportForm chosen={chosen} onChosen={onChosen} view={view} />
        ) : (
          <ChooseFile onChosen={onChosen} view={view} />
        )}
      </div>
    </Dialog>
  );
};
