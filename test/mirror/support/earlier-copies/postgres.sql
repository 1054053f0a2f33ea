-- Of Postgres 15, by pg_dump.
CREATE TABLE public.invoices (
    id bigint NOT NULL,
    reference_id text,
    number_int bigint,
    order_id bigint,
    order_number bigint,
    status text,
    expiration_date text,
    opened_at text,
    description text,
    account_name text,
    currency text,
    total_incl numeric,
    total_excl numeric,
    total_open numeric,
    pdf_url text,
    xml_url text,
    number text,
    account_id bigint,
    feature text,
    footnote text,
    updated_at timestamp with time zone,
    created_at timestamp with time zone,
    invoice_items jsonb,
    invoice_set_id bigint,
    payments jsonb,
    record jsonb NOT NULL,
    gone_at timestamp with time zone,
    mirror_seen bigint NOT NULL,
    mirror_confirmed bigint NOT NULL,
    mirror_missed integer NOT NULL,
    mirror_unlisted integer NOT NULL,
    mirror_change bigint
);
CREATE VIEW public.current_invoices AS
 SELECT invoices.id,
    invoices.reference_id,
    invoices.number_int,
    invoices.order_id,
    invoices.order_number,
    invoices.status,
    invoices.expiration_date,
    invoices.opened_at,
    invoices.description,
    invoices.account_name,
    invoices.currency,
    invoices.total_incl,
    invoices.total_excl,
    invoices.total_open,
    invoices.pdf_url,
    invoices.xml_url,
    invoices.number,
    invoices.account_id,
    invoices.feature,
    invoices.footnote,
    invoices.updated_at,
    invoices.created_at,
    invoices.invoice_items,
    invoices.invoice_set_id,
    invoices.payments,
    invoices.record
   FROM public.invoices
  WHERE (invoices.gone_at IS NULL);
CREATE TABLE public.mirror_changes (
    seq bigint NOT NULL,
    list text NOT NULL,
    id text NOT NULL,
    parent text NOT NULL,
    kind text NOT NULL,
    at text NOT NULL,
    previous bigint,
    fields text,
    after text
);
CREATE TABLE public.mirror_lists (
    name text NOT NULL,
    state text NOT NULL,
    columns text NOT NULL,
    owner text NOT NULL,
    owned_until bigint NOT NULL
);
CREATE TABLE public.mirror_notes (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.mirror_version (
    version integer NOT NULL,
    address text NOT NULL
);
INSERT INTO public.invoices VALUES (4, 'INV-000004', 4, 4, 1004, 'open', '2026-01-15', '2026-01-01T08:04:00.000Z', NULL, 'Tamsin Sandbox', 'EUR', 157.30, 130.00, 157.30, 'https://www.example.org/invoices/4.pdf', 'https://www.example.org/invoices/4.xml', 'F000004', 3, NULL, NULL, '2026-01-24 15:04:00+00', '2026-01-01 08:04:00+00', '[{"id": 3001, "name": "Course fee", "units": 1, "created_at": "2026-01-01T08:04:00.000Z", "unit_price": "130.00", "updated_at": "2026-01-01T08:04:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}]', NULL, '[]', '{"id": 4, "number": "F000004", "status": "open", "feature": null, "pdf_url": "https://www.example.org/invoices/4.pdf", "xml_url": "https://www.example.org/invoices/4.xml", "currency": "EUR", "footnote": null, "order_id": 4, "payments": [], "opened_at": "2026-01-01T08:04:00.000Z", "account_id": 3, "created_at": "2026-01-01T08:04:00.000Z", "number_int": 4, "total_excl": "130.00", "total_incl": "157.30", "total_open": "157.30", "updated_at": "2026-01-24T15:04:00.000Z", "description": null, "account_name": "Tamsin Sandbox", "order_number": 1004, "reference_id": "INV-000004", "invoice_items": [{"id": 3001, "name": "Course fee", "units": 1, "created_at": "2026-01-01T08:04:00.000Z", "unit_price": "130.00", "updated_at": "2026-01-01T08:04:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}], "invoice_set_id": null, "expiration_date": "2026-01-15"}', '2030-01-01 00:00:00+00', 2, 1893456000015, 0, 0, 5);
INSERT INTO public.invoices VALUES (1, 'INV-000001', 1, 1, 1001, 'open', '2030-02-14', '2030-01-02T03:04:05.678Z', NULL, 'Oriel Modelaar', 'EUR', 1459.30, 1210.00, 1459.30, 'https://www.example.org/invoices/1.pdf', 'https://www.example.org/invoices/1.xml', 'F000001', 2, NULL, NULL, '2030-01-01 00:00:00+00', '2025-04-06 08:01:00+00', '[{"id": 1, "name": "Course fee", "units": 1, "created_at": "2025-04-06T08:01:00.000Z", "unit_price": "1170.00", "updated_at": "2025-04-06T08:01:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}, {"id": 2, "name": "Exam", "units": 4, "created_at": "2025-04-06T08:01:00.000Z", "unit_price": "10.00", "updated_at": "2025-04-06T08:01:00.000Z", "invoice_vat_id": 2, "catalog_variant_id": null}]', NULL, '[]', '{"id": 1, "number": "F000001", "status": "open", "feature": null, "pdf_url": "https://www.example.org/invoices/1.pdf", "xml_url": "https://www.example.org/invoices/1.xml", "currency": "EUR", "footnote": null, "order_id": 1, "payments": [], "opened_at": "2030-01-02T03:04:05.678Z", "account_id": 2, "created_at": "2025-04-06T08:01:00.000Z", "number_int": 1, "total_excl": "1210.00", "total_incl": "1459.30", "total_open": "1459.30", "updated_at": "2030-01-01T00:00:00.000Z", "description": null, "account_name": "Oriel Modelaar", "order_number": 1001, "reference_id": "INV-000001", "invoice_items": [{"id": 1, "name": "Course fee", "units": 1, "created_at": "2025-04-06T08:01:00.000Z", "unit_price": "1170.00", "updated_at": "2025-04-06T08:01:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}, {"id": 2, "name": "Exam", "units": 4, "created_at": "2025-04-06T08:01:00.000Z", "unit_price": "10.00", "updated_at": "2025-04-06T08:01:00.000Z", "invoice_vat_id": 2, "catalog_variant_id": null}], "invoice_set_id": null, "expiration_date": "2030-02-14"}', NULL, 3, 1893456000005, 0, 0, 1);
INSERT INTO public.invoices VALUES (2, 'INV-000002', 2, 2, 1002, 'paid', NULL, NULL, NULL, 'Fixture Software Ltd', 'EUR', 2020.70, 1670.00, 0.00, 'https://www.example.org/invoices/2.pdf', 'https://www.example.org/invoices/2.xml', 'F000002', 1, NULL, NULL, '2030-01-01 00:00:00+00', '2025-07-05 08:02:00+00', '[{"id": 1001, "name": "Course fee", "units": 1, "created_at": "2025-07-05T08:02:00.000Z", "unit_price": "1670.00", "updated_at": "2025-07-05T08:02:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}]', NULL, '[{"id": 1, "date": "2025-07-31", "amount": "2020.70", "status": "paid", "currency": "EUR", "gateway_id": null, "invoice_id": 2, "payment_method_id": 1}]', '{"id": 2, "number": "F000002", "status": "paid", "feature": null, "pdf_url": "https://www.example.org/invoices/2.pdf", "xml_url": "https://www.example.org/invoices/2.xml", "currency": "EUR", "footnote": null, "order_id": 2, "payments": [{"id": 1, "date": "2025-07-31", "amount": "2020.70", "status": "paid", "currency": "EUR", "gateway_id": null, "invoice_id": 2, "payment_method_id": 1}], "opened_at": null, "account_id": 1, "created_at": "2025-07-05T08:02:00.000Z", "number_int": 2, "total_excl": "1670.00", "total_incl": "2020.70", "total_open": "0.00", "updated_at": "2030-01-01T00:00:00.000Z", "description": null, "account_name": "Fixture Software Ltd", "order_number": 1002, "reference_id": "INV-000002", "invoice_items": [{"id": 1001, "name": "Course fee", "units": 1, "created_at": "2025-07-05T08:02:00.000Z", "unit_price": "1670.00", "updated_at": "2025-07-05T08:02:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}], "invoice_set_id": null, "expiration_date": null}', NULL, 3, 1893456000005, 0, 0, 2);
INSERT INTO public.invoices VALUES (3, 'INV-000003', NULL, 3, 1003, 'concept', 'in two weeks', '2030-02-30T00:00:00.000Z', NULL, 'Template Software GmbH', 'EUR', 2624.30, 2177.00, 2624.30, 'https://www.example.org/invoices/3.pdf', 'https://www.example.org/invoices/3.xml', NULL, 4, NULL, NULL, '2025-10-21 15:03:00+00', '2025-10-03 08:03:00+00', '[{"id": 2001, "name": "Course fee", "units": 1, "created_at": "2025-10-03T08:03:00.000Z", "unit_price": "2130.00", "updated_at": "2025-10-03T08:03:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}, {"id": 2002, "name": "Exam", "units": 1, "created_at": "2025-10-03T08:03:00.000Z", "unit_price": "47.00", "updated_at": "2025-10-03T08:03:00.000Z", "invoice_vat_id": 3, "catalog_variant_id": null}]', NULL, '[]', '{"id": 3, "number": null, "status": "concept", "feature": null, "pdf_url": "https://www.example.org/invoices/3.pdf", "xml_url": "https://www.example.org/invoices/3.xml", "currency": "EUR", "footnote": null, "order_id": 3, "payments": [], "opened_at": "2030-02-30T00:00:00.000Z", "account_id": 4, "created_at": "2025-10-03T08:03:00.000Z", "number_int": null, "total_excl": "2177.00", "total_incl": "2624.30", "total_open": "2624.30", "updated_at": "2025-10-21T15:03:00.000Z", "description": null, "account_name": "Template Software GmbH", "order_number": 1003, "reference_id": "INV-000003", "invoice_items": [{"id": 2001, "name": "Course fee", "units": 1, "created_at": "2025-10-03T08:03:00.000Z", "unit_price": "2130.00", "updated_at": "2025-10-03T08:03:00.000Z", "invoice_vat_id": 1, "catalog_variant_id": null}, {"id": 2002, "name": "Exam", "units": 1, "created_at": "2025-10-03T08:03:00.000Z", "unit_price": "47.00", "updated_at": "2025-10-03T08:03:00.000Z", "invoice_vat_id": 3, "catalog_variant_id": null}], "invoice_set_id": null, "expiration_date": "in two weeks"}', NULL, 3, 1893456000005, 0, 0, 3);
INSERT INTO public.mirror_changes VALUES (1, 'invoices', '1', '', 'added', '2030-01-01T00:00:00.000Z', NULL, NULL, NULL);
INSERT INTO public.mirror_changes VALUES (2, 'invoices', '2', '', 'added', '2030-01-01T00:00:00.000Z', NULL, NULL, NULL);
INSERT INTO public.mirror_changes VALUES (3, 'invoices', '3', '', 'added', '2030-01-01T00:00:00.000Z', NULL, NULL, NULL);
INSERT INTO public.mirror_changes VALUES (4, 'invoices', '4', '', 'added', '2030-01-01T00:00:00.000Z', NULL, NULL, '{"id":4,"number":"F000004","status":"open","feature":null,"pdf_url":"https://www.example.org/invoices/4.pdf","xml_url":"https://www.example.org/invoices/4.xml","currency":"EUR","footnote":null,"order_id":4,"payments":[],"opened_at":"2026-01-01T08:04:00.000Z","account_id":3,"created_at":"2026-01-01T08:04:00.000Z","number_int":4,"total_excl":"130.00","total_incl":"157.30","total_open":"157.30","updated_at":"2026-01-24T15:04:00.000Z","description":null,"account_name":"Tamsin Sandbox","order_number":1004,"reference_id":"INV-000004","invoice_items":[{"id":3001,"name":"Course fee","units":1,"created_at":"2026-01-01T08:04:00.000Z","unit_price":"130.00","updated_at":"2026-01-01T08:04:00.000Z","invoice_vat_id":1,"catalog_variant_id":null}],"invoice_set_id":null,"expiration_date":"2026-01-15"}');
INSERT INTO public.mirror_changes VALUES (5, 'invoices', '4', '', 'gone', '2030-01-01T00:00:00.000Z', 4, NULL, NULL);
INSERT INTO public.mirror_lists VALUES ('invoices', '{"sweeps":3,"key":"df5d2cc0","keySince":1,"asOf":1893456000003,"sweptAt":1893456000000,"tail":"","tailAt":1893456000000,"sweep":null}', '{"id":"integer","reference_id":"text","number_int":"integer","order_id":"integer","order_number":"integer","status":"text","expiration_date":"text","opened_at":"text","description":"text","account_name":"text","currency":"text","total_incl":"decimal","total_excl":"decimal","total_open":"decimal","pdf_url":"text","xml_url":"text","number":"text","account_id":"integer","feature":"text","footnote":"text","updated_at":"time","created_at":"time","invoice_items":"json","invoice_set_id":"integer","payments":"json"}', 'b15a51b5-9479-45c1-b26c-fc2ca038811d', 0);
INSERT INTO public.mirror_version VALUES (2, 'https://school.example');
ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mirror_changes
    ADD CONSTRAINT mirror_changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.mirror_lists
    ADD CONSTRAINT mirror_lists_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.mirror_notes
    ADD CONSTRAINT mirror_notes_pkey PRIMARY KEY (name);
CREATE INDEX mirror_changes_of_list ON public.mirror_changes USING btree (list, seq);
