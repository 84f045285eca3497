import { t } from "../text/language.ts"

/** The reason why a part of the page could not be read, and a retry button. */
export const Failed = ({ problem, retry }: { readonly problem: string; readonly retry: () => void }) => (
  <section class="panel problems" aria-label={t("failedRequests")}>
    <p role="alert">{problem}</p>
    <button type="button" onClick={retry}>
      {t("retry")}
    </button>
  </section>
)
