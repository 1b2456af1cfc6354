import { Notice } from "../parts/feedback.tsx";
import { Time } from "../parts/time.tsx";
import { CERTIFICATE_STATES, OVERDUE_STEPS, problemDetails, problemMessage } from "./certificate.ts";
import type { Certificate } from "./model.ts";

const Attempt = ({ certificate: { problem, nextAttemptAt, failures } }: { certificate: Certificate }) =>
  problem ? (
    <Notice tone="bad">
      <p>{problemMessage(problem)}</p>
      {problemDetails(problem).map((detail) => (
        <blockquote key={detail}>{detail}</blockquote>
      ))}
      <p>
        {failures !== undefined && failures > 1 && <>{failures} attempts have failed. </>}
        {nextAttemptAt ? (
          <>
            Next attempt: <Time at={nextAttemptAt} />.
          </>
        ) : (
          "No further attempt is scheduled: choose Re-verify."
        )}
      </p>
    </Notice>
  ) : null;

/** The state of a domain's certificate: what is wrong, and when the next attempt follows. */
export const CertificateState = ({ certificate }: { certificate: Certificate }) => {
  const { status, notAfter, nextAttemptAt, problem } = certificate;
  return (
    <>
      <h3>SSL certificate</h3>
      <p>
        {CERTIFICATE_STATES[status]}{" "}
        {notAfter && status === "in_use" && (
          <>
            It expires <Time at={notAfter} />
            {nextAttemptAt && !problem && (
              <>
                {" "}
                and is renewed automatically <Time at={nextAttemptAt} />
              </>
            )}
            .
          </>
        )}
      </p>
      {status === "ssl_overdue" && (
        <ol>
          {OVERDUE_STEPS.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      <Attempt certificate={certificate} />
    </>
  );
};
