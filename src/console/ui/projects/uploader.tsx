import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Problem } from "../parts/feedback.tsx";
import { useUploads } from "./uploads-provider.tsx";
import { uploadStatus } from "./uploads.ts";
import { UPLOAD } from "./words.ts";

/** The progress of an upload. */
const Progress = ({ share, cancel }: { share: number; cancel: () => void }) =>
  share < 1 ? (
    <>
      <progress aria-label={UPLOAD.sent} value={share} max={1} />
      <button type="button" class="small secondary outline" onClick={cancel}>
        {UPLOAD.cancel}
      </button>
    </>
  ) : (
    <progress aria-label={UPLOAD.unpacking} />
  );

/** Uploads an archive that is dropped or chosen. */
export const Uploader = ({ slug }: { slug: string }) => {
  const uploads = useUploads();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [isOver, setOver] = useState(false);
  const upload = uploads.of(slug);
  // The result has been shown here.
  useEffect(() => () => uploads.forget(slug), [uploads, slug]);
  const take = (files: FileList | null | undefined) => {
    const archive = files?.[0];
    if (archive) uploads.begin(slug, archive);
    // So that the same file can be chosen again.
    if (input.current) input.current.value = "";
  };
  return (
    <>
      <div
        class={isOver ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files);
        }}
      >
        <label for={id}>{UPLOAD.drop}</label>
        <input
          ref={input}
          id={id}
          type="file"
          name="archive"
          accept=".zip,.gz,.tgz"
          onChange={(event) => take(event.currentTarget.files)}
        />
      </div>
      <div class="outcome">
        <span role="status">{uploadStatus(upload)}</span>
        {upload?.state === "sending" && <Progress share={upload.share} cancel={() => uploads.cancel(slug)} />}
      </div>
      {upload?.state === "failed" && <Problem error={upload.error} />}
    </>
  );
};
