"""`mock_aws` as decorator of classes of tests, with and without unittest."""

import unittest

import boto3

from nephos import mock_aws


def names():
    groups = boto3.client("logs").describe_log_groups()["logGroups"]
    return [group["logGroupName"] for group in groups]


def create(name):
    boto3.client("logs").create_log_group(logGroupName=name)


@mock_aws
class TestPlain:
    def test_a_method_begins_empty(self):
        create("/a")
        assert names() == ["/a"]

    def test_another_method_begins_empty(self):
        assert names() == []
        create("/a")
        assert self.read() == ["/a"]

    def read(self):
        return names()

    @staticmethod
    def test_a_static_method_is_left_alone():
        pass

    class TestInner:
        def test_an_inner_class_is_decorated(self):
            assert names() == []


@mock_aws
class TestWithSetup:
    def setup_method(self):
        create("/prepared")

    def test_what_setup_creates_is_there(self):
        assert names() == ["/prepared"]
        create("/a")

    def test_and_nothing_else(self):
        assert names() == ["/prepared"]

    def teardown_method(self):
        assert "/prepared" in names()


@mock_aws(region="eu-west-1")
class TestUnittest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        create("/class")

    def setUp(self):
        self.client = boto3.client("logs")
        create("/setup")
        self.addCleanup(lambda: self.assertIn("/setup", names()))

    def test_what_setup_creates_is_there(self):
        self.assertEqual(names(), ["/class", "/setup"])
        self.assertEqual(self.client.meta.region_name, "eu-west-1")
        create("/a")

    def test_and_nothing_else(self):
        self.assertEqual(names(), ["/class", "/setup"])

    def tearDown(self):
        self.assertIn("/setup", names())

    @classmethod
    def tearDownClass(cls):
        assert names() == ["/class"]


class TestInherits(TestUnittest):
    def test_a_subclass_is_decorated_too(self):
        self.assertEqual(names(), ["/class", "/setup"])


@mock_aws
class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        create("/setup")

    async def test_coroutines_are_decorated(self):
        self.assertEqual(names(), ["/setup"])


class TestMethods(unittest.TestCase):
    @mock_aws
    def test_a_method_can_be_decorated(self):
        self.assertEqual(names(), [])
        self.helper()
        self.assertEqual(names(), ["/a"])

    @mock_aws
    def helper(self):
        create("/a")


class TestStartAndStop(unittest.TestCase):
    def setUp(self):
        mock = mock_aws()
        mock.start()
        self.addCleanup(mock.stop)

    def test_first(self):
        create("/a")
        self.assertEqual(names(), ["/a"])

    def test_second(self):
        self.assertEqual(names(), [])


def test_unittest_itself_runs_them():
    """Not only pytest's runner of unittest's classes."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(TestUnittest)
    result = unittest.TestResult()
    suite.run(result)
    assert (result.testsRun, result.errors, result.failures) == (2, [], [])
