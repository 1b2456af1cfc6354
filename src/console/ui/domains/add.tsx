import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Problem } from "../parts/feedback.tsx";
import { Field, fieldError, generalError } from "../parts/field.tsx";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { shownName } from "./model.ts";
import { KEYS } from "./queries.ts";

/** The dialog that adds a domain and then shows the record that it needs. */
export const AddDomain = ({ slug }: { slug: string }) => {
  const queries = useQueryClient();
  const done = useFinish();
  const [hostname, setHostname] = useState("");
  const back = projectPath(slug, "domains");
  const adding = useMutation({
    // The name is passed in: Enter may come before the last change is rendered.
    mutationFn: (hostname: string) =>
      dataOf(
        platform.POST("/platform/projects/{slug}/domains", {
          params: { path: { slug } },
          body: { hostname },
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: KEYS.all(slug) }),
  });
  const { error } = adding;
  const general = generalError(error, ["hostname"]);
  return (
    <Dialog title="Add domain" back={back}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate(hostname.trim(), {
            onSuccess: (domain) => done(domainPath(slug, domain.hostname), `${shownName(domain)} was added.`),
          });
        }}
      >
        {general && <Problem error={general} />}
        <Field
          label="Domain or subdomain"
          hint="Such as docs.example.org or example.org. The next page shows the DNS records to create."
          error={fieldError(error, "hostname")}
        >
          {(tied) => (
            <input
              {...tied}
              name="hostname"
              inputMode="url"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={hostname}
              onInput={(event) => setHostname(event.currentTarget.value)}
            />
          )}
        </Field>
        <DialogButtons back={back} label="Add domain" isBusy={adding.isPending} />
      </form>
    </Dialog>
  );
};
