"""Tables for Jupyter: escaped, without secrets, and not longer than a page."""

from __future__ import annotations

import nephos
from nephos import LogGroup, Secret


def test_model_is_a_table_of_its_fields() -> None:
    group = LogGroup(logGroupName="/web", retentionInDays=30, kmsKeyId="<b>&", Tags=[{"Key": "team", "Value": "web"}])
    shown = group._repr_html_()
    assert shown.startswith("<table><caption>LogGroup</caption>")
    assert "<tr><th>logGroupName</th><td>/web</td></tr>" in shown
    assert "<tr><th>retentionInDays</th><td>30</td></tr>" in shown
    assert "<caption>Tag</caption>" in shown and "<tr><th>Key</th><td>team</td></tr>" in shown
    assert "<td>&lt;b&gt;&amp;</td>" in shown and "<b>" not in shown and "storedBytes" not in shown


def test_secrets_are_hidden() -> None:
    with nephos.Cloud():
        Secret.objects.create(Name="one", SecretString="hunter2")
        answer = Secret.objects.get_value("one")
        assert answer.SecretString.get_secret_value() == "hunter2"
        shown = answer._repr_html_()
    assert "hunter2" not in shown
    assert "<th>SecretString</th><td>**********</td>" in shown


def test_results_are_rows_and_only_a_page_is_fetched() -> None:
    with nephos.Cloud():
        for n in range(3):
            LogGroup.objects.create(logGroupName=f"g{n:03}")
        results = LogGroup.objects.list()
        shown = results._repr_html_()
        assert "<caption>LogGroup: 3</caption>" in shown and "<thead><tr><th>" in shown
        assert shown.count("<tr>") == 4 and "<tr><th>logGroupName</th>" in shown.replace("<th>Arn</th>", "")
        for n in range(3, 60):
            LogGroup.objects.create(logGroupName=f"g{n:03}")
        shown = LogGroup.objects.list()._repr_html_()
    assert "<caption>LogGroup: the first 20, there are more</caption>" in shown
    assert "<td>g019</td>" in shown and "<td>g020</td>" not in shown


def test_lists_of_models_are_tables_and_lists() -> None:
    with nephos.Cloud():
        assert LogGroup.objects.all() == []
        assert LogGroup.objects.all()._repr_html_() == "<table><caption>models: 0</caption><tbody></tbody></table>"
        LogGroup.objects.create(logGroupName="/web")
        groups = LogGroup.objects.all()
    assert isinstance(groups, list) and groups + [] == groups
    assert groups._repr_html_().startswith("<table><caption>LogGroup: 1</caption>")
